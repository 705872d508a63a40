/** Answers to a question stand at the end of its note, each in a paragraph of its own. */
export function withAnswer(content: string | null, by: string, body: string): string {
  return [content ?? '', `Answer by ${by}: ${body}`].filter(Boolean).join('\n\n')
}

/** The answer at the end of a note. */
export function answerIn(content: string | null): string | undefined {
  const paragraphs = `\n\n${content ?? ''}`.split(/\n\nAnswer by [^\n]*?: /)
  return paragraphs.length > 1 ? paragraphs.at(-1) : undefined
}
