import { listOf, totals } from '../../data/task/tasks.ts'
import { COLUMNS } from '../../data/task/task.ts'
import { toAddress } from '../../shell/router.ts'
import { en } from '../../text/en.ts'
import { formatNumber } from '../../text/plural.ts'

/** How many tasks stand where; each figure leads to its rows. */
export function Figures() {
  return (
    <ul class="figures">
      {COLUMNS.map((column) => (
        <li key={column}>
          <a class="figure panel" href={toAddress('board', '', { column })}>
            <strong>{formatNumber(totals.value[column] ?? listOf(column).value.length)}</strong>
            <span>{en.columns[column]}</span>
          </a>
        </li>
      ))}
    </ul>
  )
}
