// The command, built of sources that may have a mistake planted in them.
import '../../packages/waymark/src/bin.ts'
