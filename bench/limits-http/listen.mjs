// Puts a server on a free port of the loopback and tells the parent where; ends with the parent.

/** A burst of new connections as large as everything that the workers may have under way at once. */
const backlog = 4_096

export function listen(server) {
  // Connections outlive the pause between two windows: none is closed at the moment that somebody sends on it.
  server.keepAliveTimeout = 120_000
  server.listen({ host: "127.0.0.1", port: 0, backlog }, () => {
    process.send({ kind: "listening", url: `http://127.0.0.1:${server.address().port}` })
  })
  process.on("disconnect", () => process.exit())
}
