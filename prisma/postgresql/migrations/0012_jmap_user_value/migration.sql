-- DropIndex
DROP INDEX "JmapUserValue_userId_idx";
