/** A call names no more files than this; further ones are not looked at. */
const MOST_PATHS = 100
const LONGEST_PATH = 1024

/** Arguments of editing tools that name a file. */
const PATH_KEYS: ReadonlySet<string> = new Set([
  'file_path',
  'filePath',
  'notebook_path',
  'notebookPath',
  'absolute_path',
  'target_file',
  'path',
])

/** Arguments that hold file names, or edits of several files. */
const LIST_KEYS: ReadonlySet<string> = new Set(['files', 'paths', 'edits', 'replacements'])

/** Arguments that may hold a patch. Codex has it in `command`, opencode in `patchText`. */
const PATCH_KEYS: ReadonlySet<string> = new Set(['command', 'input', 'patch', 'patchText', 'diff'])

const PATCHED_FILE = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm

/** The files that a tool call changes, as the call writes them. */
export function editedPaths(args: unknown): readonly string[] {
  const found = pathsIn(parsed(args)).filter(
    (path) => path !== '' && path.length <= LONGEST_PATH && !path.includes('\0'),
  )
  return [...new Set(found)].slice(0, MOST_PATHS)
}

function pathsIn(args: unknown): readonly string[] {
  if (typeof args === 'string') return patchedFiles(args)
  if (typeof args !== 'object' || args === null) return []
  // An editor with several commands, one of which only looks.
  if ('command' in args && args.command === 'view') return []
  return Object.entries(args).flatMap(([key, value]: [string, unknown]): readonly string[] => {
    if (PATH_KEYS.has(key)) return typeof value === 'string' ? [value.trim()] : []
    if (PATCH_KEYS.has(key)) return listOf(value).flatMap(patchedFiles)
    if (LIST_KEYS.has(key)) return listOf(value).flatMap(named)
    return []
  })
}

function named(item: unknown): readonly string[] {
  return typeof item === 'string' ? [item.trim()] : pathsIn(item)
}

function patchedFiles(text: unknown): readonly string[] {
  if (typeof text !== 'string' || !text.includes('*** ')) return []
  return [...text.matchAll(PATCHED_FILE)].map(([, path = '']) => path.trim())
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}

/** Copilot sends the arguments as JSON in a string. */
function parsed(args: unknown): unknown {
  if (typeof args !== 'string' || !args.startsWith('{')) return args
  try {
    return JSON.parse(args)
  } catch {
    return args
  }
}
