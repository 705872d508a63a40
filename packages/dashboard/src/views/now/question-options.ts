const ITEM = /^\s*(?:[-*•]|\d+[.)]|[a-z][.)])\s+(\S.*)$/i
const MOST = 5
/** A button is no place for a text. */
const LONGEST = 60

interface Asked {
  readonly text: string
  readonly options: readonly string[]
}

/** A question that ends with a list offers its items as answers. Any other text is shown as it is. */
export function splitOptions(body: string): Asked {
  const lines = body.trimEnd().split('\n')
  const items = lines.map((line) => ITEM.exec(line.trimEnd())?.[1])
  const first = items.lastIndexOf(undefined) + 1
  const options = items.slice(first).map((item) => item ?? '')
  const isOffer =
    first > 0 &&
    options.length > 1 &&
    options.length <= MOST &&
    options.every((option) => option.length <= LONGEST)
  return isOffer
    ? { text: lines.slice(0, first).join('\n').trimEnd(), options }
    : { text: body, options: [] }
}
