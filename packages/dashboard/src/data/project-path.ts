/** `/projects/<name>` when the address is that of one of several projects, else nothing. */
export function projectPath(path: string = location.pathname): string {
  const name = /^\/ui\/projects\/([^/]+)(?:\/|$)/.exec(path)?.[1]
  return name === undefined ? '' : `/projects/${name}`
}

/** The part of addresses before the view. */
export function pageBase(path: string = location.pathname): string {
  const project = projectPath(path)
  return project === '' ? '/ui' : `/ui${project}`
}

/** A part of an address as text; one that is not encoded well is taken as it is. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
