import { counted } from '../../core/show.ts'
import type { Context } from '../../core/context.ts'
import { withContentFailures } from './store.ts'
import { contentsOf } from './open-contents.ts'

const PAGE_SIZE = 500
const SHOWN = 10
/** Reading takes about a second for each of these; what is beyond is looked at by its size only. */
const MOST_READ = 4 * 2 ** 30

interface ContentsCheck {
  readonly name: string
  readonly status: 'ok' | 'failed'
  readonly message: string
  readonly fix?: string
  readonly ids?: string[]
}

/** Whether the bytes of every artifact are there and what they should be. */
export async function checkContents(context: Context): Promise<ContentsCheck> {
  const name = 'artifacts'
  if ((context.hosted?.contents ?? context.project?.state) === undefined)
    return { name, status: 'ok', message: 'not looked at' }
  const contents = contentsOf(context)
  const missing: string[] = []
  const damaged: string[] = []
  let count = 0
  let read = 0
  for await (const { hash, size } of neededContents(context)) {
    context.signal.throwIfAborted()
    count += 1
    read += size
    const state = await withContentFailures(async () => {
      if (read <= MOST_READ) return await contents.verify(hash)
      const found = await contents.stat(hash)
      return found === undefined ? 'missing' : found.size === size ? 'intact' : 'corrupt'
    })
    if (state === 'missing') missing.push(hash)
    if (state === 'corrupt') damaged.push(hash)
  }
  if (missing.length + damaged.length === 0) {
    return { name, status: 'ok', message: `${counted(count, 'content')}, all as they were stored` }
  }
  return {
    name,
    status: 'failed',
    message: `of ${counted(count, 'content')} ${missing.length} are missing and ${damaged.length} are damaged`,
    fix: 'waymark artifact add stores a content again and so repairs it; artifact remove gives it up',
    ids: [...missing, ...damaged].slice(0, SHOWN),
  }
}

async function* neededContents({ store }: Context) {
  for (let last = ''; ;) {
    const page = await store.artifacts.contentsAfter(last, PAGE_SIZE)
    yield* page
    if (page.length < PAGE_SIZE) return
    last = page.at(-1)?.hash ?? last
  }
}
