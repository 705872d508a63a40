import { COLUMNS, type Column } from '../../data/task/task.ts'
import { LeaseBar } from '../../parts/lease-bar.tsx'
import { Who } from '../../parts/agent/who.tsx'
import { Windowed } from '../../parts/windowed.tsx'
import { route, setQuery } from '../../shell/router.ts'
import { en } from '../../text/en.ts'
import { formatNumber } from '../../text/plural.ts'
import { projectsWords } from '../../text/view/projects.ts'
import { parseFilter } from '../board/board-filter.ts'
import { PlaceInProject } from './place-in-project.tsx'
import { allTasks, type Project, type ProjectTask } from './projects.ts'

const CARD_HEIGHT = 102

/** The tasks of all projects on one board; a card leads to its project. */
export function AllBoards({ projects }: { readonly projects: readonly Project[] }) {
  const filter = route.value.query.get('q') ?? ''
  const matches = toMatches(filter)
  const shown = allTasks(projects).filter(matches)
  return (
    <section class="all-boards" aria-label={projectsWords.board}>
      <p class="filters">
        <input
          type="search"
          class="board-filter"
          aria-label={projectsWords.filter}
          placeholder={projectsWords.filter}
          value={filter}
          onInput={({ currentTarget }) => setQuery({ q: currentTarget.value })}
        />
      </p>
      <div class="board-columns">
        {COLUMNS.map((name) => (
          <BoardColumn
            key={name}
            name={name}
            tasks={shown.filter(({ task }) => task.column === name)}
            total={projects.reduce((sum, project) => sum + project[name], 0)}
          />
        ))}
      </div>
    </section>
  )
}

interface ColumnProps {
  readonly name: Column
  readonly tasks: readonly ProjectTask[]
  readonly total: number
}

function BoardColumn({ name, tasks, total }: ColumnProps) {
  const isAll = tasks.length === total
  return (
    <section class="column open" aria-labelledby={`all-${name}`}>
      <header>
        <h2 id={`all-${name}`}>{en.columns[name]}</h2>
        <span class="muted">
          {isAll ? formatNumber(total) : en.board.shown(tasks.length, total)}
        </span>
      </header>
      {tasks.length === 0 ? (
        <p class="empty">{en.board.emptyColumn}</p>
      ) : (
        <Windowed count={tasks.length} height={CARD_HEIGHT} label={en.columns[name]}>
          {(index) => <ProjectCard of={tasks[index]} />}
        </Windowed>
      )}
    </section>
  )
}

function ProjectCard({ of }: { readonly of: ProjectTask | undefined }) {
  if (of === undefined) return null
  const { project, task } = of
  const { number, title, holder, waitsFor, questions, isParked } = task
  return (
    <article class="card">
      <span class="project-name muted">
        {project.name} <span class="number">#{number}</span>
      </span>
      <span class="card-title">
        <PlaceInProject project={project} path={`t/${number}`}>
          {title}
        </PlaceInProject>
      </span>
      <p class="card-facts">
        {isParked && <span class="mark bad">▲ {en.states.parked}</span>}
        {holder !== undefined && (
          <span class="card-holder">
            <Who name={holder.name} />
            <LeaseBar holder={holder} />
          </span>
        )}
        {questions > 0 && <span class="mark info">◇ {en.board.questions(questions)}</span>}
        {waitsFor.length > 0 && <span class="muted">{en.board.waitsFor(waitsFor.length)}</span>}
      </p>
    </article>
  )
}

/** `project:shop` beside what the filter of a board understands. */
function toMatches(filter: string): (of: ProjectTask) => boolean {
  const parts = filter.split(/\s+/)
  const names = parts.flatMap((part) => /^project:(.+)$/.exec(part)?.[1] ?? [])
  const rest = parseFilter(parts.filter((part) => !part.startsWith('project:')).join(' '))
  return ({ project, task }) => (names.length === 0 || names.includes(project.name)) && rest(task)
}
