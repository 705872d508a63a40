/** zod in one file. As it is installed it is a hundred, and to find them takes a server longer than all of its own start. */
export * from 'zod'
