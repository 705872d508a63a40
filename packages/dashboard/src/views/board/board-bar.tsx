import { setQuery } from '../../shell/router.ts'
import { en } from '../../text/en.ts'
import { GROUPINGS, type Grouping } from './groups.ts'
import { SelectionBar } from './selection-bar.tsx'

interface Props {
  readonly filter: string
  readonly grouping: Grouping
  readonly heldBack: number
  readonly onShow: () => void
}

export function BoardBar({ filter, grouping, heldBack, onShow }: Props) {
  return (
    <div class="board-bar filters">
      <input
        type="search"
        class="board-filter"
        aria-label={en.board.filter}
        placeholder={en.board.filter}
        value={filter}
        onInput={({ currentTarget }) => setQuery({ q: currentTarget.value })}
      />
      <label>
        <span class="muted">{en.board.group}</span>{' '}
        <select
          value={grouping}
          onChange={({ currentTarget }) =>
            setQuery({ group: currentTarget.value === 'none' ? '' : currentTarget.value })
          }
        >
          {GROUPINGS.map((name) => (
            <option key={name} value={name}>
              {en.board.groups[name]}
            </option>
          ))}
        </select>
      </label>
      <SelectionBar />
      {heldBack > 0 && (
        <span class="held-back" role="status">
          {en.board.held(heldBack)}{' '}
          <button type="button" onClick={onShow}>
            {en.board.showNow}
          </button>
        </span>
      )}
    </div>
  )
}
