/**
 * Cuts text that arrives in pieces into lines. They end at `\n` and nowhere else: `readline` of newer versions of Node
 * also ends one at characters that JSON leaves as they are inside a string.
 */
export class LineCutter {
  #held = ''

  /** The lines that end in this piece. */
  push(piece: string): readonly string[] {
    const [first = '', ...rest] = piece.split('\n')
    const lines = [this.#held + first, ...rest]
    this.#held = lines.pop() ?? ''
    return lines.map(withoutReturn)
  }

  /** The unterminated last line at the end of the input, or none. */
  end(): readonly string[] {
    const last = this.#held
    this.#held = ''
    return last === '' ? [] : [withoutReturn(last)]
  }
}

/** Lines from Windows end in two characters. */
function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}
