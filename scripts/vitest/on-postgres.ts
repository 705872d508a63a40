// Projects of these tests are kept in PostgreSQL.
const { TEST_POSTGRES_URL } = process.env
if (TEST_POSTGRES_URL !== undefined) process.env['WAYMARK_DATABASE_URL'] = TEST_POSTGRES_URL
