import { parse, stringify } from 'yaml'
import { violation } from '../parse.ts'

/** Reads YAML from somewhere else; `path` is where, for whoever has to mend it. */
export function parseYaml(text: string, path: string): unknown {
  try {
    // Aliases can be nested so that a small file grows without end.
    return parse(text, { maxAliasCount: 100 })
  } catch (cause) {
    const [reason = ''] = (cause as Error).message.split('\n')
    throw violation('path', 'bad_format', `${path} is not YAML: ${reason}`)
  }
}

export function toYaml(value: unknown): string {
  return stringify(value)
}
