import type { Output } from '../../api.ts'
import { en } from '../../text/en.ts'
import { activityWords } from '../../text/view/activity.ts'
import { TaskLink } from '../text/text-link.tsx'
import { TextDiff } from '../text/text-diff.tsx'

export type ChangeOf = Pick<Output<'entity.history'>['changes'][number], 'changes'>

/** What one change did, field by field; long texts as a diff. What was written first stands elsewhere, so it is folded. */
export function Change({ change }: { readonly change: ChangeOf }) {
  const changes = change.changes.filter(({ from, to }) => !isEmpty(from) || !isEmpty(to))
  if (!changes.some(({ field, from }) => field === 'number' && isEmpty(from)))
    return <Fields changes={changes} />
  return (
    <details class="created">
      <summary>{activityWords.created}</summary>
      <Fields changes={changes.filter(({ field }) => !SHOWN_IN_TITLE.has(field))} />
    </details>
  )
}

const SHOWN_IN_TITLE: ReadonlySet<string> = new Set(['number', 'type', 'title'])

function Fields({ changes }: ChangeOf) {
  return (
    <ul class="changes">
      {changes.map(({ field, target, from, to }) => (
        <li key={`${field} ${target?.number ?? ''}`}>
          <span class="muted">{nameOfField(field)}</span>{' '}
          {target !== undefined && <TaskLink number={target.number} title={target.title} />}
          {isLong(from) || isLong(to) ? (
            <TextDiff before={toText(field, from)} after={toText(field, to)} />
          ) : (
            <span>
              {from !== undefined && from !== null && <del>{toText(field, from)}</del>}{' '}
              {to !== undefined && to !== null && <ins>{toText(field, to)}</ins>}
            </span>
          )}
        </li>
      ))}
      {changes.length === 0 && <li class="muted">{activityWords.noFields}</li>}
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
    .replace(/^holders$/, activityWords.heldBy)
    .replace(/^(relation[ .]\w+).*$/, '$1')
    .replaceAll(/[._]/g, ' ')
}

function toText(field: string, value: unknown): string {
  // A relation is there or not; its target says the rest.
  if (value === undefined || value === null || value === true) return ''
  if (Array.isArray(value)) return value.map((one) => toText(field, one)).join(', ')
  if (field === 'properties.priority') return en.priorities[Number(value)] ?? JSON.stringify(value)
  if (typeof value !== 'string') return JSON.stringify(value)
  if (field === 'properties.status') return value.replaceAll('_', ' ')
  // Behind the name of a holder stands its clone.
  return field === 'properties.holders' ? value.replace(/ @[0-9a-f]+$/, '') : value
}
