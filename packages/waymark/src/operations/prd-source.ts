import type { Context } from '../context.ts'
import { findSection, hashText, parseSectionReference } from '../domain/prd.ts'
import type { Prd } from '../domain/task-fields.ts'
import { type Warning, warning } from './warning.ts'

export interface PrdInput {
  readonly source: string
  readonly refs: readonly string[]
  readonly excerpt?: string | undefined
}

/** Reads the document that a new task refers to, so that it can later be told whether the text has changed since. */
export async function readPrd(
  context: Context,
  input: PrdInput | undefined,
): Promise<{ readonly prd?: Prd; readonly warnings: Warning[] }> {
  if (input === undefined) return { warnings: [] }
  const { source, refs, excerpt } = input
  const references = refs.map(parseSectionReference)
  const text = await context.files?.readText(source)
  const warnings: Warning[] =
    text === undefined ? [warning('missing_prd_source', `${source} is not in the project`)] : []
  const withHashes = references.map(({ anchor, lines }) => {
    const section = text === undefined ? undefined : findSection(text, { anchor, lines })
    if (text !== undefined && section === undefined) {
      warnings.push(warning('missing_section', `${source} has no section ${anchor}`))
    }
    return {
      anchor,
      ...(lines !== undefined && { lines: [...lines] as [number, number] }),
      ...(section !== undefined && { hash: hashText(section) }),
    }
  })
  const prd = {
    source,
    refs: withHashes,
    ...(excerpt !== undefined && { excerpt }),
    ...(text !== undefined && { hash: hashText(text) }),
  }
  return { prd, warnings }
}
