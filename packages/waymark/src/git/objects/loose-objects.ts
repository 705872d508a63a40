import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { deflateSync, inflateSync } from 'node:zlib'
import type { GitObject } from '../object-reader.ts'
import type { NewObject } from './pack-stream.ts'

/** `<type> <size>\0` before the content. */
const HEADER = /^(commit|tree|blob|tag) (\d{1,15})$/
const LONGEST_HEADER = 24
const ID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/

/** Writes an object without starting git. Not flushed to disk: for objects that can be made again. */
export function writeLooseObject(objects: string, { id, type, content }: NewObject): void {
  const path = pathOf(objects, id)
  if (existsSync(path)) return
  mkdirSync(dirname(path), { recursive: true })
  const temporary = `${path}.${process.pid}.tmp`
  try {
    const header = Buffer.from(`${type} ${content.length}\0`)
    writeFileSync(temporary, deflateSync(Buffer.concat([header, content]), { level: 1 }), {
      mode: 0o444,
    })
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    if (!existsSync(path)) throw error
  }
}

/** Reads an object without starting git. Undefined if it is in a pack, missing or damaged: git can tell. */
export function readLooseObject(
  objects: string,
  limit: number,
  id: string,
): GitObject | 'too_large' | undefined {
  if (!ID.test(id)) return undefined
  let bytes: Buffer
  try {
    bytes = inflateSync(readFileSync(pathOf(objects, id)), {
      maxOutputLength: limit + LONGEST_HEADER,
    })
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      ? 'too_large'
      : undefined
  }
  const end = bytes.indexOf(0)
  const [, type, size] = HEADER.exec(bytes.toString('latin1', 0, Math.max(end, 0))) ?? []
  const content = bytes.subarray(end + 1)
  if (type === undefined || Number(size) !== content.length || hashOf(bytes, id) !== id)
    return undefined
  return content.length > limit ? 'too_large' : { id, type, size: content.length, content }
}

function hashOf(bytes: Buffer, { length }: string): string {
  return createHash(length === 40 ? 'sha1' : 'sha256')
    .update(bytes)
    .digest('hex')
}

function pathOf(objects: string, id: string): string {
  return join(objects, id.slice(0, 2), id.slice(2))
}
