// Who asks: keys in the URL, in the environment, in the shared files, or from the container's or the machine's own service. Roles, SSO and web
// identities are a protocol each: for those the SDK's own chain is used, where the user has installed it.

import { readFile } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { SluiceError } from "../../errors/index.ts"
import { systemWorld, type World } from "../../world/index.ts"
import type { Location } from "./location.ts"
import type { Credentials } from "./sign.ts"

type Found = Credentials & { readonly expiresAtMs: number | null }
type Environment = Readonly<Record<string, string | undefined>>

/** Renewed so long before they end. */
const renewedBeforeMs = 5 * 60_000
const serviceDeadlineMs = 1_000
const library = "@aws-sdk/credential-providers"

export function credentialChain(location: Location, world: World, env: Environment): () => Promise<Credentials> {
  let found: Promise<Found> | null = null
  let endsAtMs = Number.POSITIVE_INFINITY
  return () => {
    if (found && systemWorld.wallMs() < endsAtMs) return found
    const next = findCredentials(location, world, env)
    found = next
    endsAtMs = Number.POSITIVE_INFINITY
    next.then(
      ({ expiresAtMs }) => {
        if (expiresAtMs !== null) endsAtMs = expiresAtMs - renewedBeforeMs
      },
      () => {
        found = null
      },
    )
    return next
  }
}

export async function findRegion(location: Location, env: Environment): Promise<string> {
  const named = location.region ?? env.AWS_REGION ?? env.AWS_DEFAULT_REGION
  if (named) return named
  const config = await readProfile(env.AWS_CONFIG_FILE ?? join(homedir(), ".aws", "config"), profileIn(env, "profile "))
  return config.region ?? "us-east-1"
}

async function findCredentials(location: Location, world: World, env: Environment): Promise<Found> {
  const { accessKeyId, secretAccessKey } = location
  if (accessKeyId !== null && secretAccessKey !== null) return lasting(accessKeyId, secretAccessKey, undefined)
  const [key, secret] = [env.AWS_ACCESS_KEY_ID, env.AWS_SECRET_ACCESS_KEY]
  if (key && secret) return lasting(key, secret, env.AWS_SESSION_TOKEN)
  const found = (await fromLibrary()) ?? (await fromFile(env)) ?? (await fromContainer(world, env)) ?? (await fromMachine(world, env))
  if (found) return found
  throw new SluiceError(
    "store_denied",
    `s3 ${location.bucket}: expected credentials in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, in ~/.aws/credentials, or from the container or the machine, ` +
      `found none; for roles and SSO install ${library}`,
  )
}

function lasting(accessKeyId: string, secretAccessKey: string, sessionToken: string | undefined): Found {
  return { accessKeyId, secretAccessKey, sessionToken: sessionToken || null, expiresAtMs: null }
}

interface Provided {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
  readonly expiration?: Date
}

async function fromLibrary(): Promise<Found | null> {
  let chain: () => Promise<Provided>
  try {
    const module = (await import(library)) as { fromNodeProviderChain: () => () => Promise<Provided> }
    chain = module.fromNodeProviderChain()
  } catch {
    return null
  }
  const { accessKeyId, secretAccessKey, sessionToken, expiration } = await chain()
  return { ...lasting(accessKeyId, secretAccessKey, sessionToken), expiresAtMs: expiration?.getTime() ?? null }
}

async function fromFile(env: Environment): Promise<Found | null> {
  const path = env.AWS_SHARED_CREDENTIALS_FILE ?? join(homedir(), ".aws", "credentials")
  const profile = await readProfile(path, profileIn(env, ""))
  const { aws_access_key_id: key, aws_secret_access_key: secret, aws_session_token: token } = profile
  return key && secret ? lasting(key, secret, token) : null
}

function profileIn(env: Environment, prefix: string): string {
  const name = env.AWS_PROFILE || "default"
  return name === "default" ? name : `${prefix}${name}`
}

async function readProfile(path: string, profile: string): Promise<Record<string, string>> {
  const text = await readFile(path, "utf8").catch(() => "")
  const found: Record<string, string> = {}
  let section = ""
  for (const line of text.split(/\r?\n/)) {
    section = /^\s*\[([^\]]+)\]/.exec(line)?.[1]?.trim() ?? section
    const [, name, value] = /^\s*([a-z_]+)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    if (section === profile && name !== undefined && value !== undefined) found[name] = value
  }
  return found
}

const containerHost = "http://169.254.170.2"
const machineHost = "http://169.254.169.254"

async function fromContainer(world: World, env: Environment): Promise<Found | null> {
  const { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: path, AWS_CONTAINER_CREDENTIALS_FULL_URI: full } = env
  if (!path && !full) return null
  const file = env.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE
  const token = file ? (await readFile(file, "utf8")).trim() : env.AWS_CONTAINER_AUTHORIZATION_TOKEN
  return temporary(await ask(world, path ? containerHost + path : (full ?? ""), "GET", token ? { authorization: token } : {}))
}

async function fromMachine(world: World, env: Environment): Promise<Found | null> {
  if (env.AWS_EC2_METADATA_DISABLED === "true") return null
  const asked = await ask(world, `${machineHost}/latest/api/token`, "PUT", { "x-aws-ec2-metadata-token-ttl-seconds": "300" })
  if (asked === null) return null
  const headers = { "x-aws-ec2-metadata-token": asked }
  const roles = `${machineHost}/latest/meta-data/iam/security-credentials/`
  const role = await ask(world, roles, "GET", headers)
  return role === null ? null : temporary(await ask(world, roles + role.trim(), "GET", headers))
}

async function ask(world: World, url: string, method: string, headers: Record<string, string>): Promise<string | null> {
  const late = new AbortController()
  const timer = systemWorld.timer(serviceDeadlineMs, () => late.abort())
  try {
    const response = await world.fetch(url, { method, headers, signal: late.signal })
    return response.ok ? await response.text() : null
  } catch {
    return null
  } finally {
    timer.cancel()
  }
}

function temporary(text: string | null): Found | null {
  if (text === null) return null
  const { AccessKeyId, SecretAccessKey, Token, Expiration } = JSON.parse(text) as Record<string, string>
  if (!AccessKeyId || !SecretAccessKey) return null
  return { ...lasting(AccessKeyId, SecretAccessKey, Token), expiresAtMs: Expiration ? Date.parse(Expiration) : null }
}
