/** Different texts that are remembered; real clients send a handful. */
const MAX_ENTRIES = 64

/** Remembers the answer to a question about a text that almost every request asks with the same few texts. */
export function rememberVerdicts<T>(judge: (text: string) => T): (text: string) => T {
  const verdictsByText = new Map<string, T>()
  return (text) => {
    const known = verdictsByText.get(text)
    if (known !== undefined) return known
    const verdict = judge(text)
    // Whoever sends ever new texts gains nothing but the price that everybody paid before.
    if (verdictsByText.size >= MAX_ENTRIES) verdictsByText.clear()
    verdictsByText.set(text, verdict)
    return verdict
  }
}
