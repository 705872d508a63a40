/** Waits until a stream has passed on what it holds: pipes are written in the background on Windows. */
export async function written(stream: NodeJS.WriteStream): Promise<void> {
  while (stream.writableLength > 0 && !stream.destroyed)
    await new Promise((resolve) => setTimeout(resolve, 5))
}
