import { toTitle } from '../support/text/stored-text.ts'

/** What is known of a text's worth, by whatever names it goes on its way to a reader. */
export interface TrustFacts {
  readonly by?: string | undefined
  readonly via?: string | undefined
  readonly model?: string | undefined
  readonly imported_from?: string | undefined
  readonly changed_by?: string | undefined
  readonly superseded_by?: number | undefined
  readonly code?: string | undefined
}

/** The facts in words, what is most often there first: `by ada via mcp`, `superseded by #7`, `code drifted`. */
export function describeTrust(facts: TrustFacts): readonly string[] {
  const { by, via, model, imported_from, changed_by, superseded_by, code } = facts
  const means = [via, model]
    .filter((part) => part !== undefined)
    .map(toTitle)
    .join(' ')
  const author = [by && `by ${toTitle(by)}`, means && `via ${means}`].filter(Boolean).join(' ')
  return [
    author,
    imported_from && `imported from ${toTitle(imported_from)}`,
    changed_by && `changed by ${toTitle(changed_by)}`,
    superseded_by !== undefined && `superseded by #${superseded_by}`,
    code && `code ${code}`,
  ].filter((part): part is string => typeof part === 'string' && part !== '')
}
