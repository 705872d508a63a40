import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { createEmbeddedGenerator } from '../src/generator/embedded.ts'
import { serveStudio } from '../src/serve.ts'
import type { ServeOptions } from '../src/serve.ts'

export interface TestFolder extends AsyncDisposable {
  readonly path: string
}

export async function createFolder(): Promise<TestFolder> {
  const path = await mkdtemp(join(tmpdir(), 'hootenanny-'))
  const remove = (): Promise<void> => rm(path, { recursive: true, force: true, maxRetries: 5 })
  return { path, [Symbol.asyncDispose]: remove }
}

/** A studio in this process, and an official client of it. */
export interface TestStudio extends AsyncDisposable {
  readonly url: string
  readonly folder: string
  readonly client: Client
  /** Calls a tool that must work. */
  readonly call: (name: string, args?: object) => Promise<Record<string, never>>
  /** Calls a tool that must refuse, and gives its reason. */
  readonly refusal: (name: string, args?: object) => Promise<string>
  /** Reads a resource that is JSON. */
  readonly read: (uri: string) => Promise<unknown>
}

export async function startStudio(options: Partial<ServeOptions> = {}): Promise<TestStudio> {
  const folder = await createFolder()
  const generator = createEmbeddedGenerator()
  const stateFolder = options.stateFolder ?? folder.path
  const studio = await serveStudio({ generator, ...options, stateFolder })
  const client = await connect(studio.url)
  return {
    url: studio.url,
    folder: stateFolder,
    client,
    call: (name, args) => call(client, name, args),
    async refusal(name, args = {}) {
      const { isError, content } = await client.callTool({ name, arguments: { ...args } })
      if (isError !== true) throw new Error(`${name} did not refuse`)
      return (content as { text: string }[])[0]?.text ?? ''
    },
    async read(uri) {
      const { contents } = await client.readResource({ uri })
      return JSON.parse((contents[0] as { text: string }).text) as unknown
    },
    async [Symbol.asyncDispose]() {
      await client.close()
      await studio[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** The official client over Streamable HTTP; with a session id it goes on with that session. */
export async function connect(url: string, sessionId?: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  const transport = new StreamableHTTPClientTransport(
    new URL(`${url}/mcp`),
    sessionId === undefined ? {} : { sessionId },
  )
  // The official type has a property that may be undefined, which its own interface does not allow.
  await client.connect(transport as Parameters<Client['connect']>[0])
  return client
}

async function call(
  client: Client,
  name: string,
  args: object = {},
): Promise<Record<string, never>> {
  const result = await client.callTool({ name, arguments: { ...args } })
  if (result.isError === true) throw new Error(`${name} failed: ${JSON.stringify(result.content)}`)
  return result.structuredContent as Record<string, never>
}

/** A job as tools show it, as far as tests look. */
export interface JobView {
  readonly job_id: string
  readonly status: string
  readonly attempts: number
  readonly error?: string
  readonly result: {
    readonly output_hashes: readonly string[]
    readonly artifact_ids: readonly string[]
    readonly variation_set_id: string
  }
}

/** Starts a generation and waits for its end. */
export async function generate(client: Client, tool: string, args: object = {}): Promise<JobView> {
  const { job_id = '' } = await call(client, tool, args)
  return await finished(client, job_id)
}

export async function finished(client: Client, jobId: string): Promise<JobView> {
  for (;;) {
    const { pending } = await call(client, 'poll', { timeout_ms: 10_000, job_ids: [jobId] })
    if ((pending as unknown as string[]).length === 0) break
  }
  return (await call(client, 'get_job_status', { job_id: jobId })) as unknown as JobView
}

/** A content as an HTTP client gets it. */
export async function fetchContent(url: string, hash: string): Promise<Uint8Array> {
  const response = await fetch(`${url}/cas/${hash}`)
  if (!response.ok) throw new Error(`content ${hash} answered ${response.status}`)
  return new Uint8Array(await response.arrayBuffer())
}

/** Everything in the content store, whole or in parts. */
export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(join(folder, 'cas'), {
    recursive: true,
    withFileTypes: true,
  }).catch(() => [])
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}
