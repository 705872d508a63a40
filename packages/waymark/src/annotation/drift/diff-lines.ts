import { diffArrays } from 'diff'
import { emphasize, type Line, line } from '../../core/show.ts'
import { linesOf } from '../outline/lines.ts'

/** Two texts as one, with what was removed and added. */
export function toDiffLines(before: string, after: string): readonly Line[] {
  return diffArrays([...linesOf(before)], [...linesOf(after)]).flatMap(
    ({ added, removed, value }) =>
      value.map((text) => {
        const shown = text.replaceAll('\t', '    ')
        if (added) return emphasize(line`+ ${shown}`, 'green')
        return removed ? emphasize(line`- ${shown}`, 'red') : line`  ${shown}`
      }),
  )
}
