import type { SourceFault } from '../../system/program.ts'

/** Each is built into the program of a clone by replacing a text of its source. */
export const SOURCE_FAULTS: Readonly<Record<string, Omit<SourceFault, 'name'>>> = {
  depth_unchecked: {
    file: 'sync/log/limits.ts',
    right: 'depth: 7 + 16,',
    wrong: 'depth: Infinity,',
  },
  refused_line_blocks_the_rest: {
    file: 'sync/merge/import-run.ts',
    right: '} catch {\n      this.#refuse(',
    wrong: '} catch (error) {\n      throw error\n      this.#refuse(',
  },
  purge_at_once: {
    file: 'sync/merge/merge-lines.ts',
    right: 'if (acceptsPurges ||',
    wrong: 'if (true ||',
  },
  arrivals_win_numbers: {
    file: 'sync/merge/numbers/numbers.ts',
    right: 'this.#rule = rule',
    wrong: "this.#rule = 'age'",
  },
  oversized_text_accepted: {
    file: 'sync/log/limits.ts',
    right: 'text: 200 * KIB + 1,',
    wrong: 'text: Infinity,',
  },
  merged_title_uncut: {
    file: 'sync/document/concurrent/merged-text.ts',
    right: 'firstCharacters(toStorable(text).trim(), LONGEST_TITLE).trim()',
    wrong: 'toStorable(text).trim()',
  },
  notes_unbounded: {
    file: 'annotation/notes/note-limits.ts',
    right: 'const DEEPEST = 16',
    wrong: 'const DEEPEST = Infinity',
  },
  lines_unbounded: {
    file: 'annotation/record.ts',
    right: 'const LAST_LINE = 2 ** 31 - 1',
    wrong: 'const LAST_LINE = Infinity',
  },
  engine_not_replaced: {
    file: 'sync/document/loro.ts',
    right: 'instance = undefined\n}',
    wrong: '}',
  },
}
