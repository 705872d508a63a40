import type { Output } from '../../api.ts'
import { en } from '../../text/en.ts'
import { TextDiff } from '../text/text-diff.tsx'

export type ChangeOf = Pick<Output<'entity.history'>['changes'][number], 'changes'>

/** What one change did, field by field; long texts as a diff. */
export function Change({ change }: { readonly change: ChangeOf }) {
  const changes = change.changes.filter(({ from, to }) => !isEmpty(from) || !isEmpty(to))
  return (
    <ul class="changes">
      {changes.map(({ field, target, from, to }) => (
        <li key={`${field} ${target?.number ?? ''}`}>
          <span class="muted">{nameOfField(field)}</span>{' '}
          {target !== undefined && `#${target.number} ${target.title}`}
          {isLong(from) || isLong(to) ? (
            <TextDiff before={toText(from)} after={toText(to)} />
          ) : (
            <span>
              {from !== undefined && from !== null && <del>{toText(from)}</del>}{' '}
              {to !== undefined && to !== null && <ins>{toText(to)}</ins>}
            </span>
          )}
        </li>
      ))}
      {changes.length === 0 && <li class="muted">{en.activity.noFields}</li>}
    </ul>
  )
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === '' ||
    (Array.isArray(value) && value.length === 0)
  )
}

function isLong(value: unknown): boolean {
  return typeof value === 'string' && (value.length > 80 || value.includes('\n'))
}

/** Without the parts of a name that only the store needs. */
function nameOfField(field: string): string {
  return field
    .replace(/^properties\./, '')
    .replace(/^(relation[ .]\w+).*$/, '$1')
    .replaceAll(/[._]/g, ' ')
}

function toText(value: unknown): string {
  // A relation is there or not; its target says the rest.
  if (value === undefined || value === null || value === true) return ''
  if (Array.isArray(value)) return value.map(toText).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
