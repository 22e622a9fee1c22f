-- CreateTable
CREATE TABLE "JmapTask" (
    "accountId" TEXT COLLATE "C" NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "kind" TEXT COLLATE "C" NOT NULL,
    "payload" TEXT COLLATE "C" NOT NULL,
    "due" BIGINT NOT NULL,
    "attempts" BIGINT NOT NULL,
    "error" TEXT COLLATE "C",

    CONSTRAINT "JmapTask_pkey" PRIMARY KEY ("accountId","id")
);

-- CreateIndex
CREATE INDEX "JmapTask_due_idx" ON "JmapTask"("due");
