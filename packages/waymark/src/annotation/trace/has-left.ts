import type { Code } from '../write/open-code.ts'
import { type FileView, viewWithoutHistory } from '../region/file-view.ts'
import type { AnnotatedUnit } from './annotated-region.ts'
import { namesakes } from './locate-unit.ts'

/** Whether the annotated unit is no longer in its file: only then can the same code elsewhere be that code, moved. */
export async function hasLeft(code: Code, annotated: AnnotatedUnit): Promise<boolean> {
  const view = await viewOnce(code, annotated.region.file)
  return view === undefined || namesakes(view.outline.units, annotated).length === 0
}

const VIEWS = new WeakMap<Code, Map<string, Promise<FileView | undefined>>>()

/** Many annotations of a question are from the same few files. */
function viewOnce(code: Code, path: string): Promise<FileView | undefined> {
  const views = VIEWS.get(code) ?? new Map<string, Promise<FileView | undefined>>()
  VIEWS.set(code, views)
  const view = views.get(path) ?? viewWithoutHistory(code, path)
  views.set(path, view)
  return view
}
