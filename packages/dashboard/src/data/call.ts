import type { Input, OperationName, Output } from '../api.ts'
import { projectPath } from './project-path.ts'
import { authorization, loseSession } from './session.ts'

/** A refusal of the server, with its code and what it knows about the reason. */
export class CallError extends Error {
  readonly code: string
  readonly details: Readonly<Record<string, unknown>>

  constructor(code: string, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.name = 'CallError'
    this.code = code
    this.details = details
  }
}

export interface CallOptions {
  readonly signal?: AbortSignal
  /** Makes a repeated write count once. */
  readonly idempotencyKey?: string
  /** The path of another project than the one that the address names. */
  readonly project?: string
}

/** Calls an operation, of the project that the address names unless another one is given. */
export async function call<Name extends OperationName>(
  name: Name,
  input: Input<Name>,
  { signal, idempotencyKey, project }: CallOptions = {},
): Promise<Output<Name>> {
  const path = `${project ?? projectPath()}/api/${name}`
  const answer = await requestAt(path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    body: JSON.stringify(input),
    ...(signal !== undefined && { signal }),
  })
  return (await answer.json()) as Output<Name>
}

/** Sends a request to the project that the address names. */
export function request(path: string, init: RequestInit = {}): Promise<Response> {
  return requestAt(projectPath() + path, init)
}

/** Sends a request with the token; throws a CallError unless the answer is good. */
async function requestAt(path: string, init: RequestInit): Promise<Response> {
  const answer = await send(path, init)
  if (answer.status === 401) loseSession()
  if (answer.ok) return answer
  throw await toError(answer)
}

async function send(path: string, init: RequestInit): Promise<Response> {
  const headers = { ...authorization(), ...(init.headers as Record<string, string> | undefined) }
  try {
    return await fetch(path, { ...init, headers, cache: 'no-store' })
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new CallError('offline', 'the server cannot be reached')
  }
}

async function toError(answer: Response): Promise<CallError> {
  try {
    const { error } = (await answer.json()) as {
      error: { code: string; message: string; details?: object }
    }
    return new CallError(error.code, error.message, { ...error.details })
  } catch {
    return new CallError('internal', `the server answered ${answer.status}`)
  }
}
