// Projects of these tests are kept in PostgreSQL.
import { Writer } from '../../packages/waymark/src/core/postgres/writer.ts'

const { TEST_POSTGRES_URL } = process.env
if (TEST_POSTGRES_URL !== undefined) process.env['WAYMARK_DATABASE_URL'] = TEST_POSTGRES_URL

// A write that waits for another one would time out; here it fails at once.
Writer.detectsNesting = true
