import * as z from 'zod'
import { Failure } from '../core/error.ts'
import { violation } from '../core/input/parse.ts'
import type { ArtifactReader, ArtifactRow } from './store.ts'
import { quote } from '../support/text/visible-text.ts'

export const artifactReference = z
  .string()
  .trim()
  .describe('At least 4 characters of the id, or the whole hash')

const CANDIDATES_SHOWN = 10

/** The one artifact that `text` names: by the first characters of its id, or the newest with a content. */
export async function findArtifact(
  artifacts: ArtifactReader,
  text: string,
  field = 'id',
): Promise<ArtifactRow> {
  const address = /^cas:\/\/(.*)$/.exec(text)
  const word = (address?.[1] ?? text).replaceAll('-', '').toLowerCase()
  const form = address === null ? /^([0-9a-f]{4,32}|[0-9a-f]{64})$/ : /^[0-9a-f]{64}$/
  if (!form.test(word)) {
    throw violation(
      field,
      'bad_format',
      'must be at least 4 hexadecimal characters of an id, or a whole hash',
      { value: text.slice(0, 100) },
    )
  }
  if (word.length === 64) {
    const { artifacts: found } = await artifacts.list({ hash: word, limit: 1, offset: 0 })
    return found[0] ?? absent(text, field)
  }
  const [found, ...others] = await artifacts.byIdPrefix(word, CANDIDATES_SHOWN + 1)
  if (found === undefined) return absent(text, field)
  if (others.length > 0) throw ambiguous(text, field, [found, ...others])
  return found
}

function absent(text: string, field: string): never {
  throw new Failure('not_found', `no artifact has the id or hash ${quote(text)}`, {
    details: { field, id: text.slice(0, 100), kind: 'artifact' },
  })
}

function ambiguous(text: string, field: string, rows: readonly ArtifactRow[]): Failure {
  const shown = rows.slice(0, CANDIDATES_SHOWN)
  return new Failure(
    'ambiguous_id',
    `${field}: several artifacts begin with ${quote(text)}; use more`,
    {
      details: { field, id: text, candidates: shown.map(({ id, name }) => ({ id, name })) },
    },
  )
}
