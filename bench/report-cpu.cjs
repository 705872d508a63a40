// Preloaded into a measured process: tells on file descriptor 3, when the process ends, how much CPU it used.
const { writeSync } = require('node:fs')

process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  writeSync(3, String(user + system))
})
