import { dirname } from 'node:path'
import { makeFolder, putFile } from '../support/files/put-file.ts'

/** Atomic: git may run the hook at any moment, and it may contain lines of the user. */
export async function writeHook(path: string, text: string, mode = 0o755): Promise<void> {
  await makeFolder(dirname(path))
  await putFile(path, async (file) => {
    await file.chmod(mode)
    await file.writeFile(text)
  })
}
