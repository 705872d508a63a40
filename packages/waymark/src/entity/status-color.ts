import { emphasize, type Emphasis, type Line, own } from '../core/show.ts'
import { type PriorityName, toPriorityName } from '../task/task.ts'

const COLORS: Readonly<Record<string, Emphasis>> = {
  in_progress: 'cyan',
  blocked: 'red',
  done: 'green',
  cancelled: 'dim',
  proposed: 'yellow',
  accepted: 'green',
  deprecated: 'dim',
  superseded: 'dim',
}

/** A status of any type of entity, in its color. */
export function showStatus(status: string | undefined): Line {
  return emphasize(status, status === undefined ? undefined : COLORS[status])
}

const PRIORITY_COLORS: Readonly<Record<PriorityName, Emphasis | undefined>> = {
  urgent: 'red',
  high: 'yellow',
  normal: undefined,
  low: 'dim',
}

/** A priority by its name. */
export function showPriority(priority: number): Line {
  const name = toPriorityName(priority)
  return emphasize(own(name), PRIORITY_COLORS[name])
}
