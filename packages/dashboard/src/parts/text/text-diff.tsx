import { diffWordsWithSpace, diffLines } from 'diff'

/** Above this many characters words are too many to compare in a moment. */
const MOST_FOR_WORDS = 8000

/** What was removed and what was added. */
export function TextDiff({ before, after }: { readonly before: string; readonly after: string }) {
  const parts =
    before.length + after.length > MOST_FOR_WORDS
      ? diffLines(before, after)
      : diffWordsWithSpace(before, after)
  return (
    <div class="text-diff">
      {parts.map(({ added, removed, value }, index) =>
        added ? (
          <ins key={index}>{value}</ins>
        ) : removed ? (
          <del key={index}>{value}</del>
        ) : (
          <span key={index}>{value}</span>
        ),
      )}
    </div>
  )
}
