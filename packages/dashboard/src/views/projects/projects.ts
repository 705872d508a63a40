import type { Output } from '../../api.ts'
import { call, request } from '../../data/call.ts'
import { readFrames } from '../../data/live/frames.ts'
import { compareTasks, type Task } from '../../data/task/task.ts'
import { toTask } from '../../data/task/task-row.ts'

type Listed = Output<'project.list'>['projects'][number]
type Status = Output<'status.show'>

/** One served project: its figures, its tasks, and what needs a person there. */
export interface Project extends Listed {
  /** Where its page is; undefined for the only one, whose page this is. */
  readonly address: string | undefined
  readonly tasks: readonly Task[]
  readonly open: Pick<Status, 'questions' | 'to_verify'>
}

/** A task with its project. */
export interface ProjectTask {
  readonly project: Project
  readonly task: Task
}

export async function loadProjects(signal: AbortSignal): Promise<readonly Project[]> {
  const { projects } = await call('project.list', {}, { signal })
  const isOnly = projects.length === 1
  return await Promise.all(projects.map((listed) => loadProject(listed, isOnly, signal)))
}

async function loadProject(listed: Listed, isOnly: boolean, signal: AbortSignal): Promise<Project> {
  const path = `/projects/${encodeURIComponent(listed.name)}`
  const address = isOnly ? undefined : `/ui${path}`
  if (listed.problem !== undefined)
    return { ...listed, address, tasks: [], open: { questions: [], to_verify: [] } }
  const options = { signal, ...(!isOnly && { project: path }) }
  const [{ columns, rows }, { questions, to_verify }] = await Promise.all([
    call('board.show', {}, options),
    call('status.show', {}, options),
  ])
  return {
    ...listed,
    address,
    tasks: rows.map((row) => toTask(columns, row)),
    open: { questions, to_verify },
  }
}

/** Tasks of all projects as one list, in the order of a board. */
export function allTasks(projects: readonly Project[]): readonly ProjectTask[] {
  return projects
    .flatMap((project) => project.tasks.map((task) => ({ project, task })))
    .toSorted((one, other) => compareTasks(one.task, other.task))
}

/** Calls back when something was committed in one of the projects, until it is stopped or the server ends. */
export async function followProjects(changed: () => void, signal: AbortSignal): Promise<void> {
  // No event has this subject: only the news of projects is wanted.
  const query = new URLSearchParams({ rows: 'project', subjects: 'none' })
  const { body } = await request(`/api/event.stream?${query}`, { signal })
  if (body === null) return
  for await (const { event } of readFrames(body)) if (event === 'project') changed()
}
