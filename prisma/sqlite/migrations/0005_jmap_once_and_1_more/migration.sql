-- AlterTable
ALTER TABLE "JmapChange" ADD COLUMN "properties" TEXT;

-- CreateTable
CREATE TABLE "JmapOnce" (
    "accountId" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "arguments" TEXT NOT NULL,
    "answer" TEXT NOT NULL,
    "at" BIGINT NOT NULL,

    PRIMARY KEY ("accountId", "key")
);

-- CreateIndex
CREATE INDEX "JmapOnce_at_idx" ON "JmapOnce"("at");
