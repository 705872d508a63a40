import * as z from 'zod'
import { violation } from '../core/input/parse.ts'
import { oneLine } from '../core/input/schema.ts'
import { lookUp } from '../support/look-up.ts'

/** The relation types that mean something to Waymark; any other name is kept and shown as it is. */
export const RELATION_TYPES = [
  'implements',
  'blocks',
  'supersedes',
  'references',
  'belongs_to',
  'documents',
  'subtask_of',
  'discovered_from',
  'duplicates',
] as const

/** Types in which a chain that comes back to its start would make no sense. */
export const ACYCLIC_RELATION_TYPES: ReadonlySet<string> = new Set(['blocks', 'subtask_of'])

const ALIASES: Readonly<Record<string, string>> = { belongsto: 'belongs_to' }
const NAME = /^[a-z][a-z0-9_]*$/

export const relationType = oneLine({ max: 50 })
  .overwrite((value) => {
    const word = value.toLowerCase().replaceAll('-', '_')
    return lookUp(ALIASES, word) ?? word
  })
  .check((payload) => {
    if (NAME.test(payload.value)) return
    const message = 'must be a word of letters, digits and _'
    payload.issues.push({
      code: 'custom',
      message,
      params: { rule: 'bad_format', message },
      input: payload.value,
    })
  })
  .describe(`${RELATION_TYPES.join(', ')}, or a name of your own`)

/** A relation as one word, `type:id`, read from the entity it starts at. */
export const relationText = z.string().describe('type:id, for example implements:12')

export interface RelationTarget {
  readonly type: string
  readonly target: string
}

export function parseRelationText(value: string, field: string): RelationTarget {
  const [type = '', target = '', ...rest] = value.split(':').map((part) => part.trim())
  const parsed = relationType.safeParse(type)
  if (!parsed.success || target === '' || rest.length > 0) {
    throw violation(field, 'bad_format', 'must look like type:id, for example implements:12', {
      value,
    })
  }
  return { type: parsed.data, target }
}
