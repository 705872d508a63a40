import type { AnnotationRow } from '../store.ts'
import type { Code } from '../write/open-code.ts'

const ROWS = new WeakMap<Code, ReadonlyMap<string, Promise<readonly AnnotationRow[]>>>()

/** Reads the annotations of a file while git computes its history. */
export function prefetchAnnotations(code: Code, path: string): void {
  const reading = annotatedIn(code, [path])
  reading.catch(() => undefined)
  ROWS.set(code, new Map([[path, reading]]))
}

/** Annotations with a region in one of these files. */
export function annotatedIn(
  code: Code,
  paths: readonly string[],
): Promise<readonly AnnotationRow[]> {
  const [path = '', ...others] = paths
  const known = others.length === 0 ? ROWS.get(code)?.get(path) : undefined
  const asked = { refs: code.settings.readRefs, role: 'region', paths } as const
  return known ?? code.annotations.inFiles(asked)
}
