-- AlterTable
ALTER TABLE "JmapChange" ADD COLUMN     "properties" TEXT COLLATE "C";

-- CreateTable
CREATE TABLE "JmapOnce" (
    "accountId" TEXT COLLATE "C" NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "arguments" TEXT COLLATE "C" NOT NULL,
    "answer" TEXT COLLATE "C" NOT NULL,
    "at" BIGINT NOT NULL,

    CONSTRAINT "JmapOnce_pkey" PRIMARY KEY ("accountId","key")
);

-- CreateIndex
CREATE INDEX "JmapOnce_at_idx" ON "JmapOnce"("at");
