import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { isAbsolute, relative, sep } from 'node:path'
import { StudioError } from '../error.ts'

/** A file that may be read. */
export interface OpenUpload extends AsyncDisposable {
  readonly bytes: AsyncIterable<Uint8Array>
}

/** Opens a file if its real path is inside the folder. */
export async function openUpload(folder: string, path: string): Promise<OpenUpload> {
  if (!isAbsolute(path)) throw new StudioError('file_path must be absolute')
  const real = await realpath(path).catch(() => undefined)
  // The same message for a missing file and for one outside, so that callers cannot probe for files.
  if (real === undefined || !isInside(await realpath(folder), real))
    throw new StudioError(`file_path must be a file in ${folder}`)
  const file = await open(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  if (!(await file.stat()).isFile()) {
    await file.close()
    throw new StudioError('file_path must be a file, not a folder or a device')
  }
  return {
    bytes: file.createReadStream({ autoClose: false }),
    [Symbol.asyncDispose]: () => file.close(),
  }
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
