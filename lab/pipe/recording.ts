import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'

const Entry = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('start'),
    args: z.array(z.string()),
    variables: z.array(z.string()),
    ids: z.record(z.string(), z.string()),
  }),
  z.object({ kind: z.literal('in'), text: z.string() }),
  z.object({ kind: z.literal('out'), text: z.string() }),
  z.object({ kind: z.literal('exit'), code: z.number().nullable(), signal: z.string().nullable() }),
])

/** One run of `waymark` that a host started. */
export interface Recording {
  readonly args: readonly string[]
  /** Names of the environment variables that it was given. */
  readonly variables: readonly string[]
  /** Those of them that name a session. */
  readonly ids: Readonly<Record<string, string>>
  /** Everything that the host wrote, and everything it got. */
  readonly input: string
  readonly output: string
  /** Null if a signal ended it, or if it still runs. */
  readonly code: number | null
}

/** Oldest first. */
export function readRecordings(folder: string): Recording[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .toSorted()
    .map((file) => toRecording(readFileSync(join(folder, file), 'utf8')))
}

function toRecording(text: string): Recording {
  const entries = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => Entry.parse(JSON.parse(line)))
  const [start] = entries.filter((entry) => entry.kind === 'start')
  const textOf = (kind: 'in' | 'out') =>
    entries.map((entry) => (entry.kind === kind ? entry.text : '')).join('')
  return {
    args: start?.args ?? [],
    variables: start?.variables ?? [],
    ids: start?.ids ?? {},
    input: textOf('in'),
    output: textOf('out'),
    code: entries.map((entry) => (entry.kind === 'exit' ? entry.code : null)).at(-1) ?? null,
  }
}

const Message = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z
    .looseObject({
      name: z.string().optional(),
      protocolVersion: z.string().optional(),
      clientInfo: z.looseObject({ name: z.string(), version: z.string().optional() }).optional(),
      _meta: z.looseObject({}).optional(),
    })
    .optional(),
  result: z
    .looseObject({
      isError: z.boolean().optional(),
      protocolVersion: z.string().optional(),
      structuredContent: z.looseObject({}).optional(),
      content: z.array(z.looseObject({ text: z.string().optional() })).optional(),
      tools: z
        .array(
          z.looseObject({
            name: z.string(),
            inputSchema: z.looseObject({ properties: z.looseObject({}).optional() }),
          }),
        )
        .optional(),
    })
    .optional(),
  error: z.looseObject({ message: z.string() }).optional(),
})
type Message = z.infer<typeof Message>

/** The JSON-RPC messages of one direction; what is none is left out. */
export function messagesIn(text: string): Message[] {
  return text.split('\n').flatMap((line) => {
    try {
      const { data } = Message.safeParse(JSON.parse(line))
      return data === undefined ? [] : [data]
    } catch {
      return []
    }
  })
}

export interface Handshake {
  readonly client: string
  readonly protocol: string
}

const MODERN_VERSION = 'io.modelcontextprotocol/protocolVersion'
const MODERN_CLIENT = 'io.modelcontextprotocol/clientInfo'
const Client = z.looseObject({ name: z.string(), version: z.string().optional() })
type Client = z.infer<typeof Client>

/** How the client described itself. */
export function clientIn(recordings: readonly Recording[]): Client | undefined {
  return recordings
    .filter(isServer)
    .flatMap(({ input }) => messagesIn(input))
    .map(
      ({ params }) => params?.clientInfo ?? Client.safeParse(params?._meta?.[MODERN_CLIENT]).data,
    )
    .find((client) => client !== undefined)
}

/** Of the first server that was told who connects. Clients of 2026-07-28 say it with every request. */
export function handshakeIn(recordings: readonly Recording[]): Handshake | undefined {
  for (const { input, output } of recordings.filter(isServer)) {
    const answers = messagesIn(output)
    for (const { id, method, params } of messagesIn(input)) {
      if (method === 'initialize' && params?.clientInfo !== undefined) {
        const answer = answers.find((each) => each.id === id)
        const protocol = answer?.result?.protocolVersion
        if (protocol !== undefined) return { client: nameOf(params.clientInfo), protocol }
      }
      const version = params?._meta?.[MODERN_VERSION]
      const { data: client } = Client.safeParse(params?._meta?.[MODERN_CLIENT])
      if (typeof version === 'string' && client !== undefined && method === 'tools/list') {
        return { client: nameOf(client), protocol: version }
      }
    }
  }
  return undefined
}

function nameOf({ name, version = '' }: Client): string {
  return `${name} ${version}`.trim()
}

export interface PipedCall {
  readonly tool: string
  /** What Waymark refused it with. */
  readonly refusal?: string
  readonly text: string
  /** Names of the fields of the structured answer. */
  readonly fields: readonly string[]
}

/** Tool calls that reached Waymark and were answered, oldest first. */
export function callsIn(recordings: readonly Recording[]): PipedCall[] {
  return recordings.filter(isServer).flatMap(({ input, output }) => {
    const answers = new Map(messagesIn(output).map((message) => [message.id, message]))
    return messagesIn(input).flatMap(({ id, method, params }) => {
      const answer = answers.get(id)
      if (method !== 'tools/call' || params?.name === undefined || answer === undefined) return []
      const { result, error } = answer
      const refusal = error?.message ?? (result?.isError === true ? textOf(result) : undefined)
      return [
        {
          tool: params.name,
          ...(refusal !== undefined && { refusal }),
          text: result === undefined ? '' : textOf(result),
          fields: Object.keys(result?.structuredContent ?? {}),
        },
      ]
    })
  })
}

function textOf({ content = [] }: NonNullable<Message['result']>): string {
  return content.map(({ text = '' }) => text).join('\n')
}

/** The parameters that Waymark declares for each tool. */
export function parametersByTool(recordings: readonly Recording[]): Map<string, Set<string>> {
  const tools = recordings
    .filter(isServer)
    .flatMap(({ output }) => messagesIn(output))
    .flatMap(({ result }) => result?.tools ?? [])
  return new Map(
    tools.map(({ name, inputSchema }) => [
      name,
      new Set(Object.keys(inputSchema.properties ?? {})),
    ]),
  )
}

export function isServer({ args }: Recording): boolean {
  return args.includes('serve')
}

export interface HookRun {
  /** As the host calls it, else as the command line does. */
  readonly event: string
  /** Whether it told the host anything, by its output or by the exit code that means no. */
  readonly isHeard: boolean
}

const HookInput = z.looseObject({
  hook_event_name: z.string().optional(),
  hookEventName: z.string().optional(),
  hookName: z.string().optional(),
})

/** Every run of `waymark` that was no server: hooks of the host. */
export function hooksIn(recordings: readonly Recording[]): HookRun[] {
  return recordings
    .filter((recording) => !isServer(recording))
    .map(({ args, input, output, code }) => ({
      event: eventOf(args, input),
      isHeard: output !== '' || code === 2,
    }))
}

function eventOf(args: readonly string[], input: string): string {
  const [command = '', event] = args.filter((arg) => !arg.startsWith('-'))
  if (command === 'hook' && event !== undefined) return event
  try {
    const { data } = HookInput.safeParse(JSON.parse(input))
    const name = data?.hook_event_name ?? data?.hookEventName ?? data?.hookName
    if (name !== undefined) return name
  } catch {
    // Some hosts write nothing to a hook.
  }
  return command === 'prime' ? 'SessionStart' : command
}
