import { isDeepStrictEqual } from 'node:util'
import type { Edit, Json, Path } from './edit.ts'

type Fields = Readonly<Record<string, unknown>>

/** The value at the end of a path. A step into a list leads to the element of that name. */
export function valueAt(root: unknown, path: Path): unknown {
  let value = root
  for (const key of path) {
    if (Array.isArray(value)) value = value.find(isNamed(key))
    else if (!isFields(value) || !Object.hasOwn(value, key)) return undefined
    else value = value[key]
  }
  return value
}

function isNamed(name: string): (element: unknown) => boolean {
  return (element) => isFields(element) && element['name'] === name
}

export function depthOf(root: unknown, path: Path): number {
  const missing = path.findIndex((_, at) => valueAt(root, path.slice(0, at + 1)) === undefined)
  return missing === -1 ? path.length : missing
}

export function findIn(root: unknown, { kind, path, value }: Edit): Json | undefined {
  const found = valueAt(root, path)
  if (kind !== 'item') return found as Json | undefined
  return Array.isArray(found) && found.some((item) => isDeepStrictEqual(item, value))
    ? value
    : undefined
}

/** A copy without the edit's place, and without the containers on the way to it that are empty then. */
export function without(root: unknown, edit: Edit, path: Path = edit.path): unknown {
  const [key, ...rest] = path
  if (key === undefined) return withoutItem(root, edit)
  if (Array.isArray(root)) return root.filter((element) => !isNamed(key)(element))
  if (!isFields(root) || !Object.hasOwn(root, key)) return root
  const { [key]: child, ...others } = root
  const isPlace = rest.length === 0 && edit.kind !== 'item'
  const kept = isPlace ? undefined : without(child, edit, rest)
  return isEmpty(kept) ? others : { ...others, [key]: kept }
}

function withoutItem(list: unknown, { value }: Edit): unknown {
  if (!Array.isArray(list)) return list
  const at = list.findIndex((item) => isDeepStrictEqual(item, value))
  return at === -1 ? list : list.toSpliced(at, 1)
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true
  if (Array.isArray(value)) return value.length === 0
  return isFields(value) && Object.keys(value).length === 0
}

export function isFields(value: unknown): value is Fields {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
  )
}
