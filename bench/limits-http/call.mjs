// One request to the provider, as all who are compared send it.

export async function call(url, { guild, id, sender }, signal) {
  const response = await fetch(`${url}/${guild}/${id}/${sender}`, { method: "PUT", signal })
  await response.arrayBuffer()
  return response
}
