// Sends a task without waiting for its answer; one that is not accepted goes back to the source.

export async function fire({ send, source }, task) {
  const answer = await send(task.key, task.cost)
  if (answer.status !== 200) source.put(task)
  return answer
}
