// Shown where the server wants a token, or another than the one that it was given.

import { takeToken, token } from "./api/token.ts"

export function SignIn() {
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const given = String(new FormData(event.currentTarget as HTMLFormElement).get("token") ?? "").trim()
    if (given !== "") takeToken(given)
  }
  return (
    <main id="main" class="sign-in">
      <form class="panel" onSubmit={submit}>
        <h1>This server wants a token</h1>
        <p>
          It is the one that the server was started with (<code>SLUICE_TOKEN</code> or <code>--token-file</code>). It is kept by this tab
          until you close it, and is never part of an address.
        </p>
        {token.value === null ? null : (
          <p class="alert" role="alert">
            The server does not know the token that it was given.
          </p>
        )}
        <p class="field">
          <label for="token">Token</label>
          <input id="token" name="token" type="password" autocomplete="off" required />
        </p>
        <button type="submit" class="primary">
          Continue
        </button>
      </form>
    </main>
  )
}
