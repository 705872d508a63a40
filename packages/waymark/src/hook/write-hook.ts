import { dirname } from 'node:path'
import { makeFolder, putFile } from '../support/files/put-file.ts'

/** In one step: git may run the hook at this very moment, and somebody's own lines may be in it. */
export async function writeHook(path: string, text: string, mode = 0o755): Promise<void> {
  await makeFolder(dirname(path))
  await putFile(path, async (file) => {
    await file.chmod(mode)
    await file.writeFile(text)
  })
}
