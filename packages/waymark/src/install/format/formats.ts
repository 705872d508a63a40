import { isDeepStrictEqual } from 'node:util'
import { Failure } from '../../core/error.ts'
import type { Edit, Format } from './edit.ts'
import { JSON_FORMAT } from './json.ts'
import { SECTION_FORMAT } from './section.ts'
import { FILE_FORMAT } from './whole-file.ts'
import { TOML_FORMAT } from './toml.ts'
import { YAML_FORMAT } from './yaml.ts'

export const FORMATS = {
  json: checked(JSON_FORMAT),
  toml: checked(TOML_FORMAT),
  yaml: checked(YAML_FORMAT),
  section: checked(SECTION_FORMAT),
  file: checked(FILE_FORMAT),
} as const satisfies Record<string, Format>

export type FormatName = keyof typeof FORMATS

/** Parses every result again, and fails if anything but the edit has changed. */
function checked(format: Format): Format {
  return {
    ...format,
    put: (text, edit) => {
      const next = format.put(text, edit)
      const found = format.find(next, edit)
      const isDone = edit.kind === 'default' || isDeepStrictEqual(found, edit.value)
      return assertSame(format, { text, next, edit }, isDone)
    },
    take: (text, edit, keep) => {
      const next = format.take(text, edit, keep)
      const isDone = edit.kind === 'item' || format.find(next, edit) === undefined
      return assertSame(format, { text, next, edit }, isDone)
    },
  }
}

interface Result {
  readonly text: string
  readonly next: string
  readonly edit: Edit
}

function assertSame(format: Format, { text, next, edit }: Result, isDone: boolean): string {
  if (isDone && isDeepStrictEqual(format.rest(text, edit), format.rest(next, edit))) return next
  throw new Failure(
    'invalid_input',
    'is laid out in a way that cannot be changed safely; change it by hand',
    { details: { path: edit.path } },
  )
}
