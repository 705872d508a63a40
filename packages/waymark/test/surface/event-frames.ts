/** One message of a `text/event-stream`. */
export interface Frame {
  readonly id: number
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Reads server-sent events from a response, one by one, until it is disposed of. */
export function readFrames(response: Response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  const waiting: Frame[] = []
  const next = async (): Promise<Frame | undefined> => {
    for (;;) {
      const frame = waiting.shift()
      if (frame !== undefined) return frame
      const step = await reader?.read().catch(() => undefined)
      if (step?.value === undefined) return undefined
      const blocks = (rest + step.value).split('\n\n')
      rest = blocks.pop() ?? ''
      waiting.push(...blocks.filter((block) => !block.startsWith(':')).map(toFrame))
    }
  }
  return {
    next,
    /** Frames up to the one that `isLast` says. */
    async until(isLast: (frame: Frame) => boolean): Promise<readonly Frame[]> {
      const frames: Frame[] = []
      for (let frame = await next(); frame !== undefined; frame = await next()) {
        frames.push(frame)
        if (isLast(frame)) break
      }
      return frames
    },
    [Symbol.asyncDispose]: async () => {
      await reader?.cancel().catch(() => {})
    },
  }
}

function toFrame(block: string): Frame {
  const fields = new Map(
    block.split('\n').map((line) => {
      const at = line.indexOf(': ')
      return [line.slice(0, at), line.slice(at + 2)] as const
    }),
  )
  return {
    id: Number(fields.get('id') ?? 0),
    event: fields.get('event') ?? 'message',
    data: JSON.parse(fields.get('data') ?? '{}') as Frame['data'],
  }
}
