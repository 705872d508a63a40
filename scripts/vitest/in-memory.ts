// Temp folders of these tests are made in the folder of the run. `os.tmpdir()` and child processes read the variables
// at each call; Windows reads TEMP.
const { TEST_FOLDER } = process.env
if (TEST_FOLDER !== undefined)
  Object.assign(process.env, { TMPDIR: TEST_FOLDER, TEMP: TEST_FOLDER })
