/** Text in which the engine has set the words that were asked for between `<mark>` and `</mark>`. It never becomes HTML. */
export function MarkedText({ text }: { readonly text: string }) {
  return (
    <>
      {text
        .split(/<mark>(.*?)<\/mark>/s)
        .map((part, at) => (at % 2 === 1 ? <mark key={at}>{part}</mark> : part))}
    </>
  )
}
