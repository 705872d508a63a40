import { createHash } from 'node:crypto'
import type { Verification } from '../../git/objects/verification.ts'
import { LINE_LIMITS, type Reason } from './limits.ts'
import type { JsonUpdate } from '../document/loro.ts'
import { findFault } from '../document/update-form.ts'
import { type EntityId, toEntityId } from '../../entity/entity-id.ts'

/** One line of the log: what happened to one entity, or that it was purged. */
export type LogLine = {
  readonly entityId: EntityId
  /** Identifies the line; the same content always has the same. */
  readonly hash: string
  readonly text: string
  /** Of the commit that brought it; absent where it did not come from a log. */
  readonly verification?: Verification | undefined
} & ({ readonly update: JsonUpdate } | { readonly isPurged: true })

export type UpdateLine = LogLine & { readonly update: JsonUpdate }

/** An intact line that is not merged. */
export interface RefusedLine {
  readonly hash: string
  /** Undefined where not even that can be read. */
  readonly entityId: EntityId | undefined
  readonly reason: Reason
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const SEAL = /^,"h":"([0-9a-f]{32})"\}$/
const SEAL_LENGTH = ',"h":"'.length + 32 + '"}'.length
/** Where a line says which entity it is about. */
const OPENING = /^\{"e":"([0-9a-f-]{36})"/

export function toUpdateLine(entityId: EntityId, update: JsonUpdate): string {
  return seal(JSON.stringify({ e: entityId, u: update }))
}

export function toPurgeLine(entityId: EntityId): string {
  return seal(JSON.stringify({ e: entityId, purged: true }))
}

/** Undefined for a truncated, altered, foreign or refused line. */
export function parseLine(text: string): LogLine | undefined {
  const line = checkLine(text)
  return line === undefined || 'reason' in line ? undefined : line
}

/**
 * Undefined for a truncated, altered or foreign line. An intact line that exceeds a limit is returned as refused, before
 * any step that costs more than one linear scan.
 */
export function checkLine(text: string): LogLine | RefusedLine | undefined {
  const [, hash] = SEAL.exec(text.slice(-SEAL_LENGTH)) ?? []
  if (hash === undefined || !text.startsWith('{')) return undefined
  const body = `${text.slice(0, -SEAL_LENGTH)}}`
  if (hashOf(body) !== hash) return undefined
  const [, opened] = OPENING.exec(text) ?? []
  const about = opened === undefined ? undefined : toEntityId(opened)
  const refuse = (reason: Reason): RefusedLine => ({ hash, entityId: about, reason })
  if (Buffer.byteLength(text) > LINE_LIMITS.bytes) return refuse('too_long')
  if (isDeeper(body, LINE_LIMITS.depth)) return refuse('too_deep')
  const { e: id, purged, u: update } = parseObject(body)
  if (typeof id !== 'string' || !ID.test(id)) return refuse('bad_form')
  const entityId = toEntityId(id)
  if (purged === true) return { entityId, hash, text, isPurged: true }
  const fault = findFault(update)
  if (fault !== undefined) return refuse(fault)
  return { entityId, hash, text, update: update as JsonUpdate }
}

function seal(body: string): string {
  return `${body.slice(0, -1)},"h":"${hashOf(body)}"}`
}

function hashOf(body: string): string {
  return createHash('sha256').update(body).digest('hex').slice(0, 32)
}

const [QUOTE, BACKSLASH, BRACKET, BRACE] = ['"', '\\', '[', '{'].map((sign) => sign.charCodeAt(0))
/** A closing bracket or brace follows its opening one by two. */
const CLOSING = 2

/** Counts brackets outside of strings; whether they match is for the parser to say. */
function isDeeper(json: string, limit: number): boolean {
  let depth = 0
  let isText = false
  for (let at = 0; at < json.length; at++) {
    const sign = json.charCodeAt(at)
    if (sign === QUOTE) isText = !isText
    else if (isText) at += sign === BACKSLASH ? 1 : 0
    else if (sign === BRACKET || sign === BRACE) {
      depth += 1
      if (depth > limit) return true
    } else if (sign - CLOSING === BRACKET || sign - CLOSING === BRACE) depth -= 1
  }
  return false
}

function parseObject(text: string): Record<string, unknown> {
  try {
    return { ...(JSON.parse(text) as object) }
  } catch {
    return {}
  }
}
