import { COLUMNS, type Column } from '../../data/task/task.ts'
import { en } from '../../text/en.ts'
import { formatNumber } from '../../text/plural.ts'
import type { LinesByColumn } from './use-lines.ts'

interface Props {
  readonly lines: LinesByColumn
  readonly shown: Column
  readonly onShow: (column: Column) => void
}

/** Narrow screens show one column at a time. */
export function ColumnTabs({ lines, shown, onShow }: Props) {
  return (
    <div class="column-tabs segmented" role="group">
      {COLUMNS.map((name) => (
        <button key={name} type="button" aria-pressed={name === shown} onClick={() => onShow(name)}>
          {en.columns[name]} {formatNumber(lines[name].length)}
        </button>
      ))}
    </div>
  )
}
