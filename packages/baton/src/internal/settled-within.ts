/** Waits for work to end, but no longer than `milliseconds`. */
export async function settledWithin(work: Promise<unknown>, milliseconds: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeUp = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  await Promise.race([work, timeUp])
  clearTimeout(timer)
}
