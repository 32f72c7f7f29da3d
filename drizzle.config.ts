import { defineConfig } from 'drizzle-kit';

// eslint-disable-next-line import/no-default-export -- drizzle-kit reads the default export
export default defineConfig({ dialect: 'sqlite', schema: './src/store/schema/tables.ts', out: './migrations' });
