import { findJsonExcess, type HttpRequest } from '@waymark/baton/http'
import { violation } from '../../core/input/parse.ts'
import { notJson } from '../not-json.ts'

/** The JSON in the body of a request; an empty body is an empty object. */
export async function readJsonBody(request: HttpRequest, maxBytes: number): Promise<unknown> {
  const type = request.header('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json')
    throw violation('content-type', 'not_one_of', 'must be application/json')
  const bytes = await request.readBody(maxBytes)
  if (bytes === undefined) {
    const message = `must have at most ${maxBytes} bytes`
    throw violation('body', 'too_large', message, { max: maxBytes })
  }
  return parseBody(bytes)
}

function parseBody(bytes: Uint8Array): unknown {
  const text = decodeBody(bytes)
  if (text.trim() === '') return {}
  const excess = findJsonExcess(text)
  if (excess !== undefined) throw violation('body', 'bad_format', excess)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw notJson('body', cause)
  }
}

function decodeBody(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw notJson('body', cause)
  }
}
